#!/bin/bash
#SBATCH -G 4
#SBATCH --gpus-per-node 4
#SBATCH --tres-per-node=gres/mlu:4
srun --export=ALL,MLU_VISIBLE_DEVICES=0 nvidia-smi
