"""Small trainings that run on any device and print their losses: python workloads.py NAME DEVICE."""
from __future__ import annotations

import json
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

STEPS = 12


def mlp(device: str) -> list[float]:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.LayerNorm(64), nn.Linear(64, 5)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 5)
    losses = []
    for _ in range(STEPS):
        inputs, labels = torch.randn(32, 20).to(device), torch.randint(5, (32,)).to(device)
        loss = F.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def cnn(device: str) -> list[float]:
    torch.manual_seed(2)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Conv2d(8, 16, 3, stride=2), nn.GroupNorm(4, 16), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(16, 4)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    losses = []
    for _ in range(STEPS):
        inputs, labels = torch.randn(8, 3, 16, 16).to(device), torch.randint(4, (8,)).to(device)
        loss = F.cross_entropy(model(inputs), labels, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def rnn(device: str) -> list[float]:
    torch.manual_seed(3)
    losses = []
    for kind in (nn.LSTM, nn.GRU):
        layer, head = kind(8, 16, num_layers=2, batch_first=True).to(device), nn.Linear(16, 1).to(device)
        optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=1e-2)
        for _ in range(STEPS // 2):
            inputs = torch.randn(4, 10, 8).to(device)
            loss = F.mse_loss(head(layer(inputs)[0]), inputs.sum(-1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class Gpt(nn.Module):
    def __init__(self, vocabulary: int = 50, width: int = 32, length: int = 16) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, 4) for _ in range(2))
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.token.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.token(tokens) + self.place(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
        return self.head(x)


def gpt(device: str) -> list[float]:
    """Mixed precision with a GradScaler and activation checkpointing."""
    torch.manual_seed(4)
    model = Gpt().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    kind = torch.device(device).type
    scaler = torch.amp.GradScaler(kind, init_scale=1024)
    losses = []
    for _ in range(STEPS):
        tokens = torch.randint(50, (4, 17)).to(device)
        with torch.autocast(kind, dtype=torch.float16 if len(sys.argv) < 4 else getattr(torch, sys.argv[3])):
            logits = model(tokens[:, :-1])
            loss = F.cross_entropy(logits.view(-1, 50), tokens[:, 1:].reshape(-1))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


def ddp(device: str) -> list[float]:
    """One process of a data-parallel training; rank, size and rendezvous come from the environment."""
    import torch.distributed as dist

    kind = torch.device(device).type
    dist.init_process_group({"npu": "hccl", "mlu": "cncl", "cpu": "gloo"}[kind])
    rank = dist.get_rank()
    if kind != "cpu":
        device = f"{kind}:{rank}"
        torch.get_device_module(kind).set_device(rank)
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
    wrapped = nn.parallel.DistributedDataParallel(model, device_ids=None if kind == "cpu" else [rank],
                                                  gradient_as_bucket_view=rank >= 0)
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)
    torch.manual_seed(100 + rank)
    losses = []
    for _ in range(STEPS):
        inputs = torch.randn(16, 10).to(device)
        loss = F.mse_loss(wrapped(inputs), inputs.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
        losses.append(total.item())
    dist.destroy_process_group()
    return losses


if __name__ == "__main__":
    import torch.utils.checkpoint

    values = globals()[sys.argv[1]](sys.argv[2])
    if os.environ.get("RANK", "0") == "0":
        print(json.dumps(values))
