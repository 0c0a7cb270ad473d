/** What the elements of a dump mean: heads, pages, revisions, log items. Pure: element in, meaning and reports out. */
import type { HiddenField, Namespace, Page, Revision, SiteInfo, Slot } from '../model.ts'
import type { DumpLogItem, DumpVersion } from './dump-model.ts'
import type { Container, Leaf } from './dump-tree.ts'
import {
  bytesOf,
  contributorOf,
  isDeleted,
  leafOf,
  numberOf,
  readNumber,
  readSha1,
  readTime,
  textOf,
  type Report,
} from './dump-fields.ts'
import { readAttributes } from './xml-text.ts'

/** From here on a dump names the parent of every revision that has one. */
const PARENTS_SINCE: DumpVersion = 7
const EMPTY_SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
const NO_BYTES = Buffer.alloc(0)
/** Exports of Wikimedia's own make say so of the size of hidden texts. */
const UNCOUNTED = '-1'

export function siteOf(siteinfo: Container, language: string | null, report: Report): SiteInfo {
  const namespaces = new Map<number, Namespace>()
  for (const child of siteinfo.children) {
    for (const leaf of child.leaves) addNamespace(namespaces, leaf, child.name, report)
  }
  return {
    name: textOf(siteinfo, 'sitename', report) ?? '',
    dbName: textOf(siteinfo, 'dbname', report) || null,
    base: (textOf(siteinfo, 'base', report) ?? '').trim(),
    generator: textOf(siteinfo, 'generator', report) || null,
    language,
    case: textOf(siteinfo, 'case', report) || 'first-letter',
    namespaces: [...namespaces.values()],
    apiUrl: null,
    articlePath: null,
    rvLimit: 50,
    rights: { text: null, url: null },
  }
}

function addNamespace(
  namespaces: Map<number, Namespace>,
  leaf: Leaf,
  list: string,
  report: Report,
): void {
  const attributes = readAttributes(leaf.attributes)
  const key = attributes.get('key') ?? ''
  const name = bytesOf(leaf, report)?.toString() ?? ''
  if (!/^-?\d{1,9}$/.test(key)) {
    return report('bad-number', `the namespace ${JSON.stringify(name)} has no number`)
  }
  const id = Number(key)
  const known = namespaces.get(id)
  if (known !== undefined) known.aliases.push(name)
  else {
    const isCaseSensitive = attributes.get('case') === 'case-sensitive'
    const aliases = list === 'namespacealiases' ? [name] : []
    namespaces.set(id, { id, name, aliases, isCaseSensitive })
  }
}

/**
 * Null when the page has no id: its revisions could not be distinguished from those of other pages.
 */
export function pageOf(page: Container, site: SiteInfo | null, report: Report): Page | null {
  const title = textOf(page, 'title', report)
  const pageId = numberOf(page, 'id', report)
  const named = title === null ? 'a page without a title' : `the page ${JSON.stringify(title)}`
  if (pageId === null || pageId === 0) {
    report('missing-id', `${named} has no id; its revisions are left out`)
    return null
  }
  if (title === null || title === '') {
    report('missing-field', `page ${pageId} has no title`)
  }
  const redirect = leafOf(page, 'redirect', report)
  return {
    pageId,
    ns: namespaceNumberOf(page, report) ?? namespaceOfTitle(title ?? '', site),
    title: title ?? '',
    redirect: redirect === null ? null : (readAttributes(redirect.attributes).get('title') ?? null),
  }
}

function namespaceNumberOf(page: Container, report: Report): number | null {
  const text = textOf(page, 'ns', report)?.trim()
  if (text === undefined) return null
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  report('bad-number', `<ns> is ${JSON.stringify(text.slice(0, 40))}, which is no namespace`)
  return null
}

/** Dumps before 0.6 name the namespace in the title alone. */
function namespaceOfTitle(title: string, site: SiteInfo | null): number {
  const colon = title.indexOf(':')
  if (colon <= 0 || site === null) return 0
  const prefix = title.slice(0, colon).replaceAll('_', ' ').toLowerCase()
  const found = site.namespaces.find(({ name, aliases }) =>
    [name, ...aliases].some((one) => one.toLowerCase() === prefix),
  )
  return found?.id ?? 0
}

/** Null, and reported, when the revision lacks what identifies it. */
export function revisionOf(
  element: Container,
  page: Page,
  version: DumpVersion,
  report: Report,
): Revision | null {
  const revId = numberOf(element, 'id', report)
  if (revId === null || revId === 0) {
    report('missing-id', `a revision of page ${page.pageId} has no id; it is left out`)
    return null
  }
  const at = readTime(textOf(element, 'timestamp', report), report)
  if (at === null) return null
  const contributor = contributorOf(element, report)
  const parentId = numberOf(element, 'parentid', report)
  const comment = leafOf(element, 'comment', report)
  const isCommentHidden = comment !== null && isDeleted(comment.attributes)
  const told = readSha1(textOf(element, 'sha1', report), report)
  const slots = slotsOf(element, told, report)
  const isTextHidden = slots.some((slot) => slot.isHidden)
  const hidden: HiddenField[] = []
  if (contributor.isHidden) hidden.push('user')
  if (isCommentHidden) hidden.push('comment')
  if (isTextHidden) hidden.push('text', 'sha1')
  return {
    pageId: page.pageId,
    revId,
    parentId: parentId ?? (version >= PARENTS_SINCE && !hasLeaf(element, 'parentid') ? 0 : null),
    at,
    user: contributor.user,
    userId: contributor.userId,
    editor: contributor.editor,
    isMinor: hasLeaf(element, 'minor'),
    size: sumOf(slots.map(({ slot }) => slot.size)),
    sha1: isTextHidden ? null : (told ?? (slots.length === 1 ? slots[0]!.slot.sha1 : null)),
    comment: isCommentHidden ? null : (textOf(element, 'comment', report) ?? ''),
    parsedComment: null,
    tags: [],
    hidden,
    isSuppressed: false,
    slots: slots.map(({ slot }) => slot),
  }
}

function hasLeaf(element: Container, name: string): boolean {
  return element.leaves.some((leaf) => leaf.name === name)
}

function sumOf(sizes: (number | null)[]): number | null {
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0)
}

interface ReadSlot {
  slot: Slot
  isHidden: boolean
}

/** `told` is the digest of the revision: with one slot it is that of its text. */
function slotsOf(element: Container, told: string | null, report: Report): ReadSlot[] {
  const others = element.children.filter(({ name }) => name === 'content')
  const main = slotOf(element, 'main', others.length === 0 ? told : null, report)
  const more = others.map((content) => {
    const role = textOf(content, 'role', report)
    if (role === null) report('missing-field', 'a slot does not say its role')
    return slotOf(content, role ?? 'unknown', null, report)
  })
  return [main, ...more]
}

function slotOf(element: Container, role: string, told: string | null, report: Report): ReadSlot {
  const leaf = leafOf(element, 'text', report)
  const attributes = readAttributes(leaf?.attributes ?? null)
  const isHidden = attributes.has('deleted')
  const sha1 = readSha1(attributes.get('sha1') ?? null, report) ?? told
  const bytes = attributes.get('bytes') ?? UNCOUNTED
  const claimed = bytes === UNCOUNTED ? null : readNumber(bytes, 'bytes of <text>', report)
  if (leaf === null) report('missing-field', `the text of the slot ${role} is missing`)
  const text = leaf === null || isHidden ? null : presentText(leaf, attributes, sha1, report)
  return {
    slot: {
      role,
      model: textOf(element, 'model', report) || null,
      format: textOf(element, 'format', report) || null,
      size: claimed ?? text?.length ?? null,
      sha1: isHidden ? null : sha1,
      text,
    },
    isHidden,
  }
}

/**
 * An element without text is an empty text or one that was left out. Stub dumps leave texts out: they give the
 * id or place of the text and its size. A text that the wiki lost has a size but no text.
 */
function presentText(
  leaf: Leaf,
  attributes: ReadonlyMap<string, string>,
  sha1: string | null,
  report: Report,
): Buffer | null {
  if (leaf.pieces.length > 0 || leaf.isTooLarge) return bytesOf(leaf, report)
  if (sha1 !== null) return sha1 === EMPTY_SHA1 ? NO_BYTES : null
  const bytes = attributes.get('bytes')
  if (bytes !== undefined && bytes !== UNCOUNTED) return /^0+$/.test(bytes) ? NO_BYTES : null
  const isStub = attributes.has('id') || attributes.has('location')
  const isSaidToBeText = !leaf.isEmptyTag || attributes.has('xml:space')
  return isSaidToBeText && !isStub ? NO_BYTES : null
}

/** Null, and reported, when the entry lacks what identifies it. */
export function logItemOf(element: Container, report: Report): DumpLogItem | null {
  const logId = numberOf(element, 'id', report)
  if (logId === null || logId === 0) {
    report('missing-id', 'an entry of the log has no id; it is left out')
    return null
  }
  const at = readTime(textOf(element, 'timestamp', report), report)
  if (at === null) return null
  const { user, userId } = contributorOf(element, report)
  const comment = leafOf(element, 'comment', report)
  const isCommentHidden = comment !== null && isDeleted(comment.attributes)
  return {
    logId,
    at,
    user,
    userId,
    comment: isCommentHidden ? null : (textOf(element, 'comment', report) ?? ''),
    kind: textOf(element, 'type', report) ?? '',
    action: textOf(element, 'action', report) ?? '',
    title: textOf(element, 'logtitle', report),
    params: textOf(element, 'params', report),
  }
}
