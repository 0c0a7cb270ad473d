/** By what the store knows a mailbox that mails of an account go to. */
export interface MailboxKey {
  /** As `addressOf` writes it. */
  address: string
  account: string
}

/** One mailbox, however its address is written. */
export const addressOf = (target: string): string => target.trim().toLowerCase()
