/** The operations for site owners that need nothing of other rooms, by name. */
import { askAddress } from './address-question.ts'
import { isHostProven, noteRecords, openProof, proofOf, sweepProofs, wantFile } from './proofs.ts'
import { signingKeys } from './signing-keys.ts'

export const siteOwnerOperations = {
  askAddress,
  isHostProven,
  noteRecords,
  openProof,
  proofOf,
  signingKeys,
  sweepProofs,
  wantFile,
}
