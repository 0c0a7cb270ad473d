/** Runs one command of a program and answers its exit code; what fails is said in one line. */
import { isMingaError } from '@minga/protocol'
import { Command, CommanderError } from 'commander'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { versionLine } from './version.ts'

export type Run = <A extends unknown[]>(
  command: (...args: A) => Promise<number>,
) => (...args: A) => Promise<void>

export type AddCommand = (program: Command, run: Run) => void

export interface ProgramText {
  name: string
  description: string
  examples: string
  commands: readonly AddCommand[]
}

export async function runProgram(text: ProgramText, args: string[]): Promise<number> {
  let exitCode: number = EXIT.ok
  // `minga … | head` closes the pipe early, which is no error of ours.
  process.stdout.on('error', (error: Error & { code?: string }) => {
    if (error.code !== 'EPIPE') throw error
  })
  const program = new Command(text.name)
    .description(text.description)
    .version(versionLine())
    .addHelpText('after', text.examples)
    .exitOverride()
  const run: Run =
    (command) =>
    async (...given) => {
      exitCode = await command(...given)
    }
  for (const add of text.commands) add(program, run)
  try {
    if (args.length === 0) {
      process.stdout.write(`${text.examples.trimStart()}\n${program.helpInformation()}`)
      return EXIT.ok
    }
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return explain(text.name, error)
  }
}

function explain(name: string, error: unknown): number {
  // Help and version end by an exception too, with code 0; commander has printed the rest.
  if (error instanceof CommanderError) {
    if (error.code === 'commander.unknownCommand') {
      process.stderr.write(`\`${name} --help\` lists the commands.\n`)
    }
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  }
  if (isMingaError(error)) {
    process.stderr.write(`${name}: ${error.message} (${error.code})\n`)
    return exitCodeOf(error)
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${name}: ${text}\n`)
  return EXIT.error
}
