import type { Access, RouteContext } from './access.ts'
import type { AccountMail } from './account-mail.ts'
import type { Accounts } from './accounts.ts'
import type { Oidc } from './oidc.ts'
import type { PageTokens } from './page-tokens.ts'
import type { Passkeys } from './passkeys.ts'
import type { SecondFactors } from './second-factors.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface AccountServices {
  access: Access
  accounts: Accounts
  accountMail: AccountMail
  secondFactors: SecondFactors
  passkeys: Passkeys
  oidc: Oidc
  cookie: SessionCookie
  pageTokens: PageTokens
}

export type AccountContext = RouteContext & AccountServices
