/** `minga account`: what an operator does for people of a station who cannot help themselves. */
import type { Command } from 'commander'
import { findStation, openApi, remoteApi, type Api } from '../api.ts'
import { EXIT } from '../exit-codes.ts'
import { operatorCommand } from '../options.ts'
import type { Run } from '../run-program.ts'
import { requireArchive } from './archive-folder.ts'

interface AccountOptions {
  data: string
  station?: string
  key?: string
  insecure?: boolean
  json?: boolean
}

const EXAMPLES = `
Examples:
  minga account reset-factor ana      ana lost her authenticator app and her recovery codes

Make sure that the person is who they say: with the second factor removed, the password is enough.
docs/accounts.md says how people log in.
`

export function accountCommand(program: Command, run: Run): void {
  const account = program
    .command('account')
    .description('help people of a station back into their accounts')
    .addHelpText('after', EXAMPLES)
  operatorCommand(account, 'reset-factor')
    .description('remove the second factor of an account')
    .argument('<account>', 'its name or id')
    .addHelpText('after', EXAMPLES)
    .action(run((name: string, options: AccountOptions) => resetFactor(name, options)))
}

async function resetFactor(account: string, options: AccountOptions): Promise<number> {
  const api = await reach(options)
  try {
    const path = `/accounts/${encodeURIComponent(account)}/second-factor`
    const done = await api.remove<{ id: string; name: string }>(path)
    print(options, done, `${done.name} logs in without a second factor.`)
    return EXIT.ok
  } finally {
    await api.close()
  }
}

async function reach({ station, key, insecure, data }: AccountOptions): Promise<Api> {
  if (station !== undefined) return remoteApi({ station, key, insecure })
  return (await findStation(data)) ?? openApi(requireArchive(data))
}

function print({ json }: AccountOptions, answer: object, sentence: string): void {
  process.stdout.write(`${json ? JSON.stringify(answer) : sentence}\n`)
}
