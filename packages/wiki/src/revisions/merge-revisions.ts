/**
 * Merges two records of one revision. The wiki may have changed in between (tags, what is hidden,
 * the page that a history was merged into), and not every source has everything: a dump has no
 * tags. So the later record counts, and what it lacks is kept from before.
 */
import type { Slot } from '../model.ts'
import type { WaitingRevision } from './batch.ts'

/** Which of two counts: the one that was said later; of two at the same moment, the one that came later. */
export function isLater(
  one: { seenAt: number; seq: number },
  other: { seenAt: number; seq: number },
): boolean {
  return one.seenAt === other.seenAt ? one.seq > other.seq : one.seenAt > other.seenAt
}

/** `later` with what only `earlier` knows. Texts are taken over as well, unless they are hidden now. */
export function mergeRevisions(earlier: WaitingRevision, later: WaitingRevision): WaitingRevision {
  const isHidden = (field: 'user' | 'comment' | 'text' | 'sha1'): boolean =>
    later.hidden.includes(field)
  // Once a field is hidden, its null says so; otherwise a null says that this road does not tell.
  const keep = <T>(hidden: boolean, was: T, is: T): T => (is === null && !hidden ? was : is)
  const slots = mergeSlots(earlier, later)
  const knowsTags = later.source === 'api' || later.tags.length > 0
  const knowsEditor = later.editor !== 'unknown' || isHidden('user')
  return {
    ...later,
    parentId: keep(false, earlier.parentId, later.parentId),
    user: keep(isHidden('user'), earlier.user, later.user),
    userId: keep(isHidden('user'), earlier.userId, later.userId),
    editor: knowsEditor ? later.editor : earlier.editor,
    size: keep(false, earlier.size, later.size),
    sha1: keep(isHidden('sha1') || isHidden('text'), earlier.sha1, later.sha1),
    comment: keep(isHidden('comment'), earlier.comment, later.comment),
    parsedComment: keep(isHidden('comment'), earlier.parsedComment, later.parsedComment),
    tags: knowsTags ? later.tags : earlier.tags,
    ...slots,
  }
}

function mergeSlots(
  earlier: WaitingRevision,
  later: WaitingRevision,
): Pick<WaitingRevision, 'slots' | 'heldRoles' | 'textBytes'> {
  const { hidden, slots, heldRoles, textBytes } = later
  if (hidden.includes('text')) return { slots, heldRoles, textBytes }
  const before = new Map(earlier.slots.map((slot) => [slot.role, slot]))
  const merged = slots.map((slot) => mergeSlot(before.get(slot.role), slot))
  const missing = earlier.slots.filter(
    ({ role }) => slots.length === 0 || (later.source !== 'api' && !slots.some(isOf(role))),
  )
  const all = [...merged, ...missing]
  if (heldRoles.length > 0) return { slots: all, heldRoles, textBytes }
  // Text that came before and is missing now is still the text.
  return { slots: all, heldRoles: earlier.heldRoles, textBytes: earlier.textBytes }
}

const isOf =
  (role: string) =>
  (slot: Slot): boolean =>
    slot.role === role

function mergeSlot(earlier: Slot | undefined, later: Slot): Slot {
  if (earlier === undefined) return later
  return {
    role: later.role,
    model: later.model ?? earlier.model,
    format: later.format ?? earlier.format,
    size: later.size ?? earlier.size,
    sha1: later.sha1 ?? earlier.sha1,
    text: later.text ?? earlier.text,
  }
}

/** Whether both say the same of a revision, wherever and whenever they heard it. */
export function saysTheSame(one: WaitingRevision, other: WaitingRevision): boolean {
  return factsOf(one) === factsOf(other)
}

function factsOf(revision: WaitingRevision): string {
  const { pageId, revId, parentId, at, user, userId, editor, isMinor, size, sha1, comment } =
    revision
  const slots = revision.slots
    .map(({ role, model, format, size: bytes, sha1: digest }) =>
      JSON.stringify([role, model, format, bytes, digest]),
    )
    .toSorted()
  return JSON.stringify([
    [pageId, revId, parentId, at, user, userId, editor, isMinor, size, sha1, comment],
    revision.parsedComment,
    revision.tags.toSorted(),
    revision.hidden.toSorted(),
    revision.isSuppressed,
    slots,
    revision.heldRoles.toSorted(),
  ])
}
