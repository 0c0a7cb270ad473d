/** The operations of accounts by name, as the store runs them: each is one transaction. */
import {
  changePassword,
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
import {
  confirmEmail,
  createMailedReset,
  listMailedAccounts,
  readEmail,
  removeEmail,
  saveEmailLink,
} from './emails.ts'
import { findAccounts } from './find-accounts.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import {
  closeSession,
  closeSessionNamed,
  closeSessions,
  consumeReset,
  createReset,
  findReset,
  listSessions,
  openSession,
} from './sessions.ts'

export const accountOperations = {
  boardNameOf,
  changePassword,
  closeSession,
  closeSessionNamed,
  closeSessions,
  confirmEmail,
  consumeReset,
  createKey,
  createMailedReset,
  createReset,
  ensureOperator,
  findAccount,
  findAccounts,
  findCaller,
  findLogin,
  findReset,
  listAccounts,
  listKeys,
  listMailedAccounts,
  listSessions,
  openSession,
  readEmail,
  registerAccount,
  removeEmail,
  renewPasswordHash,
  revokeKey,
  rotateKey,
  saveEmailLink,
  setBoardName,
  setRoles,
  shownLeaders,
}
