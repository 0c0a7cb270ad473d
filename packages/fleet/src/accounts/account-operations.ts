/** The operations of accounts by name, as the store runs them: each is one transaction. */
import {
  ensureOperator,
  findAccount,
  findLogin,
  listAccounts,
  registerAccount,
  renewPasswordHash,
  setRoles,
} from './account-rows.ts'
import { boardNameOf, setBoardName, shownLeaders } from './board-names.ts'
import { findCaller } from './callers.ts'
import { findAccounts } from './find-accounts.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import {
  changePassword,
  closeSession,
  closeSessionNamed,
  closeSessions,
  confirmSession,
  consumeReset,
  createReset,
  findReset,
  listSessions,
  openSession,
  sessionConfirmedAt,
} from './sessions.ts'

export const accountOperations = {
  boardNameOf,
  changePassword,
  closeSession,
  closeSessionNamed,
  closeSessions,
  confirmSession,
  consumeReset,
  createKey,
  createReset,
  ensureOperator,
  findAccount,
  findAccounts,
  findCaller,
  findLogin,
  findReset,
  listAccounts,
  listKeys,
  listSessions,
  openSession,
  registerAccount,
  renewPasswordHash,
  revokeKey,
  rotateKey,
  sessionConfirmedAt,
  setBoardName,
  setRoles,
  shownLeaders,
}
