/** `minga account`: what an operator does for people of a station who cannot help themselves. */
import type { Command } from 'commander'
import { BadOption } from '../errors.ts'
import { operatorCommand } from '../options.ts'
import type { Run } from '../run-program.ts'
import { reachApi, withApi, type StationOptions } from './reach-api.ts'

interface DeleteOptions extends StationOptions {
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
    .action(run((name: string, options: StationOptions) => resetFactor(name, options)))
  operatorCommand(account, 'export', 'the same: an export is JSON')
    .description('print everything that the station stores about an account, as JSON')
    .argument('<account>', 'its name or id')
    .addHelpText('after', EXAMPLES)
    .action(run((name: string, options: StationOptions) => exportAccount(name, options)))
  operatorCommand(account, 'delete')
    .description(
      'delete an account with its log-ins and keys; its collections pass to the operator',
    )
    .argument('<account>', 'its name or id')
    .option('--yes', 'really')
    .addHelpText('after', EXAMPLES)
    .action(run((name: string, options: DeleteOptions) => deleteAccount(name, options)))
}

function resetFactor(account: string, options: StationOptions): Promise<number> {
  return withApi(reachApi(options), async (api) => {
    const path = `/accounts/${encodeURIComponent(account)}/second-factor`
    const done = await api.remove<Named>(path)
    print(options, done, `${done.name} logs in without a second factor.`)
  })
}

function exportAccount(account: string, options: StationOptions): Promise<number> {
  return withApi(reachApi(options), async (api) => {
    const path = `/accounts/${encodeURIComponent(account)}/export`
    process.stdout.write(`${JSON.stringify(await api.get<object>(path), null, 2)}\n`)
  })
}

function deleteAccount(account: string, options: DeleteOptions): Promise<number> {
  if (options.yes !== true) {
    throw new BadOption('account delete', '--yes, because it cannot be undone', 'nothing')
  }
  return withApi(reachApi(options), async (api) => {
    const deleted = await api.remove<Named>(`/accounts/${encodeURIComponent(account)}`)
    print(options, deleted, `The account was deleted; what is left is named ${deleted.name}.`)
  })
}

function print({ json }: StationOptions, answer: object, sentence: string): void {
  process.stdout.write(`${json ? JSON.stringify(answer) : sentence}\n`)
}
