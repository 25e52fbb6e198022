#!/usr/bin/env bash

#SBATCH -J dask-worker
#SBATCH -p compute
#SBATCH -A grids
#SBATCH -n 1
#SBATCH --cpus-per-task=4
#SBATCH --mem=15G
#SBATCH -t 12:00:00
#SBATCH --exclusive
module load python
PYTHON -m distributed.cli.dask_worker SCHEDULER --name dummy-name --nthreads 4 --memory-limit 14.90GiB --nanny --death-timeout 60
