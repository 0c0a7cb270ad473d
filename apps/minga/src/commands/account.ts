/** `minga account`: what an operator does for people of a station who cannot help themselves. */
import type { Command } from 'commander'
import { findStation, openApi, remoteApi, type Api } from '../api.ts'
import { BadOption } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { operatorCommand } from '../options.ts'
import type { Run } from '../run-program.ts'
import { requireArchive } from './archive/folder.ts'

interface AccountOptions {
  data: string
  station?: string
  key?: string
  insecure?: boolean
  json?: boolean
}

interface DeleteOptions extends AccountOptions {
  yes?: boolean
}

interface Named {
  id: string
  name: string
}

const EXAMPLES = `
Examples:
  minga account reset-factor ana      ana lost her authenticator app and her recovery codes
  minga account export ana > ana.json everything that the station stores about ana
  minga account delete ana --yes      ana is gone; the ledger keeps its entries without her name

Make sure that the person is who they say: with the second factor removed, the password is enough.
A deletion cannot be undone.
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
  operatorCommand(account, 'export', 'the same: an export is JSON')
    .description('print everything that the station stores about an account, as JSON')
    .argument('<account>', 'its name or id')
    .addHelpText('after', EXAMPLES)
    .action(run((name: string, options: AccountOptions) => exportAccount(name, options)))
  operatorCommand(account, 'delete')
    .description(
      'delete an account with its log-ins and keys; its collections pass to the operator',
    )
    .argument('<account>', 'its name or id')
    .option('--yes', 'really')
    .addHelpText('after', EXAMPLES)
    .action(run((name: string, options: DeleteOptions) => deleteAccount(name, options)))
}

function resetFactor(account: string, options: AccountOptions): Promise<number> {
  return through(options, async (api) => {
    const path = `/accounts/${encodeURIComponent(account)}/second-factor`
    const done = await api.remove<Named>(path)
    print(options, done, `${done.name} logs in without a second factor.`)
  })
}

function exportAccount(account: string, options: AccountOptions): Promise<number> {
  return through(options, async (api) => {
    const path = `/accounts/${encodeURIComponent(account)}/export`
    process.stdout.write(`${JSON.stringify(await api.get<object>(path), null, 2)}\n`)
  })
}

function deleteAccount(account: string, options: DeleteOptions): Promise<number> {
  if (options.yes !== true) {
    throw new BadOption('account delete', '--yes, because it cannot be undone', 'nothing')
  }
  return through(options, async (api) => {
    const deleted = await api.remove<Named>(`/accounts/${encodeURIComponent(account)}`)
    print(options, deleted, `The account was deleted; what is left is named ${deleted.name}.`)
  })
}

async function through(
  options: AccountOptions,
  work: (api: Api) => Promise<void>,
): Promise<number> {
  const api = await reach(options)
  try {
    await work(api)
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
