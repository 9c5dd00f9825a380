#!/bin/bash
#SBATCH -G 4
#SBATCH --gpus-per-node 4
#SBATCH --tres-per-node=gres/npu:4
srun --export=ALL,ASCEND_RT_VISIBLE_DEVICES=0 nvidia-smi
