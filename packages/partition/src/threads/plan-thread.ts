/** The thread of one plan. */
import { parentPort, workerData } from 'node:worker_threads'
import type { PlanInput } from '../plan/plan-input.ts'
import { planPlacement } from '../plan/plan.ts'

parentPort!.postMessage(planPlacement(workerData as PlanInput))
