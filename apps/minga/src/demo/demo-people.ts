/** People of the demo: accounts made by the operator, with passwords that only this machine knows. */
import { randomBytes } from 'node:crypto'
import { httpApi, type Api } from '../api.ts'
import type { DemoStage } from './demo-stage.ts'

export interface Person {
  id: string
  /** As this person may. */
  api: Api
}

interface AccountView {
  id: string
  name: string
}

const PASSWORD_BYTES = 18

/** A user who has logged in; the account is created if there is none yet. */
export async function personNamed(
  stage: DemoStage,
  name: string,
  role: 'volunteer' | 'client',
): Promise<Person> {
  const password = stage.folder.passwordOf(name) ?? (await register(stage, name, role))
  const { account, token } = await stage.api.post<{ account: AccountView; token: string }>(
    '/sessions',
    { name, password, as: 'token' },
  )
  return { id: account.id, api: httpApi(stage.station.url, token) }
}

/** Kept before the account is made: one without a known password would be in the way for ever. */
async function register({ api, folder }: DemoStage, name: string, role: string): Promise<string> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  await folder.keepPassword(name, password)
  await api.post('/accounts', { name, password, roles: [role] })
  return password
}
