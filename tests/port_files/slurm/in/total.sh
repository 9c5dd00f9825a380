#!/bin/bash
#SBATCH -G 4
#SBATCH --gpus-per-node 4
#SBATCH --tres-per-node=gres/gpu:4
srun --export=ALL,CUDA_VISIBLE_DEVICES=0 nvidia-smi
