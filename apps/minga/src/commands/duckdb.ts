/** `minga duckdb`: the small processes in which a station reads files with DuckDB, as a user of their own. */
import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import { usePrivateUmask } from '@minga/protocol/private-files'
import { EXIT } from '../exit-codes.ts'
import { Interrupts } from '../interrupts.ts'
import { dataOption } from '../options.ts'
import { requireDataFolder } from '../output-place.ts'
import type { Run } from '../run-program.ts'

interface DuckDbOptions {
  data: string
  socket: string
}

const EXAMPLES = `
Examples:
  minga duckdb run --socket /run/minga-duckdb/socket --data /var/lib/minga-duckdb
  minga up --duckdb-socket /run/minga-duckdb/socket

Run it as a user of its own in the group of the station's user: that group may connect, and the station opens to it the
files that a question names. --data holds what questions write while they are answered.
docs/for-operators.md says how to install it under systemd.
`

export function duckdbCommand(program: Command, run: Run): void {
  const duckdb = program.command('duckdb').description('run DuckDB for a station as another user')
  duckdb
    .command('run')
    .addOption(
      new Option('--socket <path>', 'where stations of this machine connect')
        .env('MINGA_DUCKDB_SOCKET')
        .makeOptionMandatory(),
    )
    .addOption(dataOption())
    .description('inspect files and answer SQL for stations that connect to a socket')
    .addHelpText('after', EXAMPLES)
    .action(run((options: DuckDbOptions) => runDuckDb(options)))
}

async function runDuckDb({ data, socket }: DuckDbOptions): Promise<number> {
  usePrivateUmask()
  await requireDataFolder(data)
  const { startDuckDbService } = await import('@minga/coordinator/duckdb-service')
  const service = await startDuckDbService({ socket: resolve(socket), data: resolve(data) })
  const interrupts = new Interrupts(() => {}, EXIT.ok)
  process.stderr.write(`minga: DuckDB answers at ${socket}; Ctrl-C ends it\n`)
  await interrupts.first()
  await service.close()
  interrupts.end()
  return EXIT.ok
}
