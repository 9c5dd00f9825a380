"""A small attention model that does what tends to drift: half precision, complex rotations, sorting, decompositions, random numbers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def rotary(dim, length):
    freqs = 1.0 / (10000 ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim))
    angles = torch.outer(torch.arange(length), freqs)
    return torch.polar(torch.ones_like(angles), angles)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.embed = nn.Embedding(1000, dim)
        self.norm = nn.BatchNorm1d(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.drop = nn.Dropout(0.1)

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = self.qkv(x).chunk(3, -1)
        weights = (q @ k.transpose(-2, -1)).softmax(-1)
        best = weights.topk(4, -1).indices
        return self.drop(weights @ v), best


def train(model, batches):
    scaler = torch.cuda.amp.GradScaler()
    counts = torch.zeros(1000).cuda()
    for ids, target in batches:
        with torch.autocast("cuda"):
            out, best = model(ids.cuda())
            loss = F.cross_entropy(out.flatten(0, 1), target.cuda().flatten())
        counts.index_add_(0, ids.flatten().cuda(), torch.ones(ids.numel()).cuda())
        scaler.scale(loss).backward()
    u, s, vh = torch.linalg.svd(model.qkv.weight)
    return s, "x.softmax(1) in a string"  # and y.sort(0) in a remark
