"""Trains the small GPT on one cuda device, or on several with torchrun.

    python train.py --steps 60
    torchrun --nproc-per-node 2 train.py --steps 60
"""

import argparse
import math
import os

import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from data import ALPHABET, Characters, make_corpus
from model import GPT, GPTConfig

CUDA_CACHE_DIR = "/tmp/cuda_cache"  # where kernels are kept, not a device


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
    parser.add_argument("--backend", default="nccl")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--seed", type=int, default=1337)
    parser.add_argument("--out", default="checkpoint.pt")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


def learning_rate(step, args):
    warmup = max(1, args.steps // 10)
    if step < warmup:
        return args.lr * (step + 1) / warmup
    share = (step - warmup) / max(1, args.steps - warmup)
    return args.lr * 0.5 * (1 + math.cos(math.pi * share))


def main():
    args = parse_args()
    is_distributed = int(os.environ.get("WORLD_SIZE", "1")) > 1
    rank = int(os.environ.get("RANK", "0"))
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    if is_distributed:
        dist.init_process_group(backend=args.backend)
        torch.cuda.set_device(local_rank)
        device = torch.device(f"cuda:{local_rank}")
    else:
        device = torch.device(args.device if torch.cuda.is_available() else "cpu")
    torch.manual_seed(args.seed)
    torch.cuda.manual_seed_all(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    if rank == 0:
        name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
        print(f"training on {name} (cuda available: {torch.cuda.is_available()})")

    config = GPTConfig(vocab_size=len(ALPHABET))
    dataset = Characters(make_corpus(4000), config.block_size)
    sampler = DistributedSampler(dataset) if is_distributed else None
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=sampler is None, sampler=sampler, pin_memory=True, drop_last=True)

    model = GPT(config).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    first_step = 0
    if args.resume:
        checkpoint = torch.load(args.out, map_location=device)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        first_step = checkpoint["step"]
    trained = DistributedDataParallel(model, device_ids=[local_rank]) if is_distributed else model
    scaler = GradScaler(enabled=args.amp)

    step = first_step
    while step < args.steps:
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, args)
            with autocast(enabled=args.amp):
                _, loss = trained(inputs, targets)
            optimizer.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            if rank == 0:
                print(f"step {step} loss {loss.item():.6f}", flush=True)
            step += 1
            if step >= args.steps:
                break
    if rank == 0:
        torch.cuda.synchronize()
        peak = torch.cuda.max_memory_allocated() / 2**20
        print(f"peak memory {peak:.1f} MiB")
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, args.out)
    if is_distributed:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
