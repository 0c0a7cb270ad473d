/** The operations for site owners that need nothing of other rooms, by name. */
import type { OperationTable } from '@minga/store'
import { askAddress } from './address-question.ts'
import { noteRecords, openProof, proofOf, sweepProofs, wantFile } from './proofs.ts'
import { signingKeys } from './signing-keys.ts'

export const siteOwnerOperations = {
  askAddress,
  noteRecords,
  openProof,
  proofOf,
  signingKeys,
  sweepProofs,
  wantFile,
} satisfies OperationTable
