/** `minga station rotate`: new secrets, keys and tokens for a station, without losing a device. */
import { systemClock } from '@minga/protocol'
import { usePrivateUmask } from '@minga/protocol/private-files'
import { Option, type Command } from 'commander'
import { EXIT } from '../../exit-codes.ts'
import { dataOption, wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { requireArchive } from '../archive/folder.ts'

interface RotateOptions {
  data: string
  postgres?: string
  grace: number
  json?: boolean
}

const DAY_MS = 86_400_000
const GRACE_DAYS = 7

const EXAMPLES = `
Examples:
  minga station rotate                what the former secrets made is accepted for 7 more days
  minga station rotate --grace 0      the secrets have leaked: nothing of them is accepted

Stop the station first, with all its coordinators. Devices, accounts, sessions and keys of clients stay.
docs/for-operators.md says what else changes.
`

export function rotateCommand(station: Command, run: Run): void {
  station
    .command('rotate')
    .description('replace the secrets of a stopped station; its devices stay')
    .addOption(dataOption())
    .addOption(new Option('--postgres <url>', 'where its state is stored').env('MINGA_POSTGRES'))
    .addOption(
      new Option('--grace <days>', 'how long the former secrets are accepted')
        .argParser(wholeNumber('--grace'))
        .default(GRACE_DAYS),
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((options: RotateOptions) => rotate(options)))
}

async function rotate({ data: folder, postgres, grace, json }: RotateOptions): Promise<number> {
  usePrivateUmask()
  const data = requireArchive(folder)
  const { rotateStation } = await import('@minga/coordinator/rotate-station')
  const rotated = await rotateStation({
    data,
    credentials: process.env['CREDENTIALS_DIRECTORY'],
    clock: systemClock,
    graceMs: grace * DAY_MS,
    ...(postgres === undefined ? {} : { postgresUrl: postgres }),
  })
  const until = new Date(rotated.formerUntil).toISOString()
  if (json) process.stdout.write(`${JSON.stringify({ ...rotated, formerUntil: until })}\n`)
  else {
    const keys = rotated.hasNewKeys ? '; station.json has new keys' : ''
    process.stdout.write(
      `The secrets are new${keys}. The former ones are accepted until ${until}.\n`,
    )
  }
  return EXIT.ok
}
