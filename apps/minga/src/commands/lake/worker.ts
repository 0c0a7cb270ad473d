/** `minga worker`: lends this machine's processors to the queries of a station. */
import { Option, type Command } from 'commander'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { requireSafe } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { Interrupts } from '../../interrupts.ts'
import { overHttp } from '../../notes-channel.ts'
import { dataOption, insecureOption, stationOption, wholeNumber } from '../../options.ts'
import { usePrivateUmask } from '@minga/protocol/private-files'
import type { Run } from '../../run-program.ts'
import { startWorkers } from '../../station.ts'
import { requireDataFolder } from '../../output-place.ts'
import { Supervisor } from '../../supervisor.ts'
import { removeWorkerFolders } from '../../worker-folders.ts'

interface WorkerOptions {
  data: string
  station: string
  key: string
  insecure?: boolean
  workers: number
  memory?: number
}

const EXAMPLES = `
Examples:
  minga worker run --station https://station.example --key "$KEY"
  minga worker run --station https://station.example --key "$KEY" --workers 8 --memory 2048

The key needs the right to work on queries (workers:run). Files come and go through the station; a worker that is
killed loses nothing but the task it had in progress, which another takes over.
`

export function workerCommand(program: Command, run: Run): void {
  const worker = program.command('worker').description('work on the queries of a station elsewhere')
  worker
    .command('run')
    .addOption(stationOption('whose queries').makeOptionMandatory())
    .addOption(insecureOption())
    .addOption(
      new Option('--key <key>', 'an API key that may work').env('MINGA_KEY').makeOptionMandatory(),
    )
    .addOption(dataOption())
    .option('--workers <n>', 'processes', wholeNumber('--workers', 1), availableParallelism())
    .option(
      '--memory <mb>',
      'that a task may use before it writes to disk',
      wholeNumber('--memory', 64),
    )
    .description('start workers; Ctrl-C returns their tasks in progress')
    .addHelpText('after', EXAMPLES)
    .action(run((options: WorkerOptions) => runWorkers(options)))
}

async function runWorkers(options: WorkerOptions): Promise<number> {
  const { station, key, workers, memory } = options
  const url = requireSafe(options)
  usePrivateUmask()
  await requireDataFolder(options.data)
  await removeWorkerFolders()
  const supervisor = new Supervisor(resolve(options.data))
  const interrupts = new Interrupts(() => supervisor.kill())
  supervisor.notes.carriedBy(overHttp({ url, token: key }))
  const wanted = { count: workers, ...(memory === undefined ? {} : { memoryMb: memory }) }
  startWorkers(supervisor, wanted, async () => ({ url, token: key, data: null }))
  process.stderr.write(`minga: ${workers} workers for ${station}; Ctrl-C ends them\n`)
  await interrupts.first()
  await supervisor.stop()
  await removeWorkerFolders(process.pid)
  interrupts.end()
  return EXIT.interrupted
}
