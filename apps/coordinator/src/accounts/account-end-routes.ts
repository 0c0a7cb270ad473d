/** The export and the deletion of an account: by its owner, or by an operator for who cannot log in. */
import type { Account } from '@minga/fleet'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from './access.ts'
import type { AccountContext } from './account-context.ts'
import type { ExportedTable } from './account-ends.ts'
import { codeField, idParams, passwordField } from './fields.ts'

const deletionBody = z.object({
  password: passwordField,
  /** Where the account has a second factor. */
  code: codeField.nullable().default(null),
})

/** Times are milliseconds since 1970. */
interface AccountExport {
  account: string
  name: string
  at: number
  tables: ExportedTable[]
}

type EndingContext = AccountContext & {
  requests: { cancel(client: string | null, id: string): Promise<unknown> }
}

export function accountEndRoutes(app: FastifyInstance, context: EndingContext): void {
  const { access, accounts, secondFactors } = context

  app.get('/me/export', async (request, reply): Promise<AccountExport> => {
    const { accountId } = access.requireSession(request, 'Exporting your account')
    void reply.header('content-disposition', 'attachment; filename="minga-account.json"')
    return exportOf(context, accountId)
  })
  app.post('/me/deletion', async (request) => {
    const caller = access.requireSession(request, 'Deleting your account')
    const { password, code } = deletionBody.parse(request.body)
    await accounts.requirePassword(caller, password)
    await secondFactors.require(caller, code)
    await deleteWhole(context, caller.accountId, null)
    return {}
  })
  app.get('/accounts/:id/export', may('accounts:write'), async (request) => {
    const { accountId: by } = access.requireAction(request, 'accounts:write')
    const { id: account } = idParams.parse(request.params)
    const { id } = await context.store.call('findNamedAccount', { account })
    return exportOf(context, id, by)
  })
  app.delete('/accounts/:id', may('accounts:write'), async (request): Promise<Account> => {
    const { accountId: by } = access.requireAction(request, 'accounts:write')
    const { id: account } = idParams.parse(request.params)
    const { id } = await context.store.call('findNamedAccount', { account })
    return deleteWhole(context, id, by)
  })
}

/** `by`: an operator who exports the account of another. */
async function exportOf(
  { store, clock }: EndingContext,
  id: string,
  by?: string,
): Promise<AccountExport> {
  const { name } = await store.call('findAccount', { id })
  const at = clock.now()
  const tables = await store.call('exportAccount', { id, by, now: at })
  return { account: id, name, at, tables }
}

/** `by`: an operator; null: its owner. Whatever was open is ended first; what fails there can be tried again. */
async function deleteWhole(
  context: EndingContext,
  id: string,
  by: string | null,
): Promise<Account> {
  const { access, store, clock, requests, work, eventLog } = context
  for (const batch of await store.call('listOpenBatches', { client: id })) {
    await requests.cancel(null, batch)
  }
  const args = { id, by: by ?? id, now: clock.now() }
  const deleted = await store.call('deleteAccount', args)
  access.forget()
  // What its devices had leased may be another's work now.
  work.notifyAll()
  const { name } = deleted
  const sentence = `An account was deleted; it is ${name} from now on.`
  const noted = { subject: id, sentence, details: { name }, by: by ?? id }
  eventLog.note({ code: 'account:deleted', ...noted })
  return deleted
}
