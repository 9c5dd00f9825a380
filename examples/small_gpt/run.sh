#!/usr/bin/env bash
# Trains on two cuda cards.
set -e
export CUDA_VISIBLE_DEVICES=0,1
export NCCL_DEBUG=WARN
echo "training with cuda"
nvidia-smi || true
torchrun --nproc-per-node 2 train.py --backend nccl --device cuda --steps 200
