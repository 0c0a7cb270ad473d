/**
 * A process that moves money as fast as it can and prints the id of every posting that was
 * acknowledged, until it is killed. Only the crash test starts it.
 */
import { openStore, type Calls, type StoreOptions } from '@minga/store'
import type { Charge } from '../../src/ledger/pay.ts'
import type { ContractOperations } from '../contract-operations.ts'

export interface CrashArgs {
  readonly options: StoreOptions
  readonly life: number
}

const PRICE_MICROS = 7

interface Step {
  id: string
  ask: (store: Calls<ContractOperations>) => Promise<{ outcome: string }>
}

/** What one batch's life asks of the ledger, in order: half of what is reserved is used. */
export function lifeOfBatch(batch: string): Step[] {
  const at = 1_000
  const client = 'acct_c'
  const micros = 8 * PRICE_MICROS
  const charge: Charge = {
    batch,
    device: 'dev_1',
    owner: 'acct_v',
    micros: PRICE_MICROS,
    isHeld: false,
  }
  const charges = [charge, charge, { ...charge, isHeld: true }, charge]
  const toppedUp = { id: `${batch}_topUp`, at, client, micros }
  const reserved = { id: `${batch}_reserve`, at, client, batch, micros, creditLimitMicros: 0 }
  const paid = { id: `${batch}_pay`, at, reference: batch, charges }
  const closed = { id: `${batch}_close`, at, batch, client }
  return [
    { id: toppedUp.id, ask: (store) => store.call('topUp', toppedUp) },
    { id: reserved.id, ask: (store) => store.call('reserve', reserved) },
    { id: paid.id, ask: (store) => store.call('payBlock', paid) },
    { id: closed.id, ask: (store) => store.call('closeBatch', closed) },
  ]
}

if (import.meta.main) {
  const { options, life } = JSON.parse(process.argv[2] ?? '') as CrashArgs
  const store = await openStore<ContractOperations>(options)
  process.stdout.write('ready\n')
  const work = async (worker: number): Promise<never> => {
    for (let n = 0; ; n++) {
      for (const { id, ask } of lifeOfBatch(`bat_${life}_${worker}_${n}`)) {
        await ask(store)
        process.stdout.write(`${id}\n`)
      }
    }
  }
  await Promise.all([0, 1, 2, 3].map(work))
}
