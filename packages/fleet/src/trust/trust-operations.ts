import { nextAuditsFor, noteAuditResult, sweepAudits } from './audit-work.ts'
import { chooseAudits, openCanary } from './choose-audits.ts'
import { complain } from './complain.ts'
import {
  admitDevice,
  blockDevice,
  expelDevice,
  noteService,
  quarantineDevice,
  releaseDevice,
  sweepBlocks,
  trustLog,
  trustOf,
} from './devices-standing.ts'

export const trustOperations = {
  admitDevice,
  blockDevice,
  chooseAudits,
  complain,
  expelDevice,
  nextAuditsFor,
  noteAuditResult,
  noteService,
  openCanary,
  quarantineDevice,
  releaseDevice,
  sweepAudits,
  sweepBlocks,
  trustLog,
  trustOf,
}
