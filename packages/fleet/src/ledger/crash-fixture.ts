/**
 * A process that moves money as fast as it can and prints the id of every posting that was
 * acknowledged, until it is killed. Only the crash test starts it.
 */
import { openStore, type StoreOptions } from '@minga/store'
import type { Charge } from './pay.ts'

export interface CrashArgs {
  readonly options: StoreOptions
  readonly life: number
}

const PRICE_MICROS = 7

/** What one batch's life asks of the ledger, in order: half of what is reserved is used. */
export function lifeOfBatch(batch: string): { operation: string; args: { id: string } }[] {
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
  const withId = (step: string, args: object) => ({ ...args, id: `${batch}_${step}` })
  const reserve = { at, client, batch, micros, creditLimitMicros: 0 }
  return [
    { operation: 'topUp', args: withId('topUp', { at, client, micros }) },
    { operation: 'reserve', args: withId('reserve', reserve) },
    { operation: 'payBlock', args: withId('pay', { at, reference: batch, charges }) },
    { operation: 'closeBatch', args: withId('close', { at, batch, client }) },
  ]
}

if (import.meta.main) {
  const { options, life } = JSON.parse(process.argv[2] ?? '') as CrashArgs
  const store = await openStore(options)
  process.stdout.write('ready\n')
  const work = async (worker: number): Promise<never> => {
    for (let n = 0; ; n++) {
      for (const { operation, args } of lifeOfBatch(`bat_${life}_${worker}_${n}`)) {
        await store.call(operation, args)
        process.stdout.write(`${args.id}\n`)
      }
    }
  }
  await Promise.all([0, 1, 2, 3].map(work))
}
