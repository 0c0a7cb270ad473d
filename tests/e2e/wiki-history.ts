/** What people do to the histories of a wiki, as operations for a real or a fake one. */
import type { WikiOperation } from '@minga/testkit'

/** The export of a page of another wiki, to be imported. */
export const EXPORTED = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><page><title>Imported</title><ns>0</ns><id>5</id>
<revision><id>10</id><timestamp>2010-05-05T00:00:00Z</timestamp><contributor><username>Old</username><id>3</id></contributor><comment>was there</comment><model>wikitext</model><format>text/x-wiki</format><text bytes="3" xml:space="preserve">old</text></revision></page></mediawiki>`

/** Not in Unicode's normal form: the API changes such a text, and its SHA-1 betrays it. */
export const DECOMPOSED = 'Cafe\u{301} A\u{30A}ngstro\u{308}m'

const seconds = { last: Date.now() - 86_400_000 }
/** One second after the other, all of them yesterday, where recent changes reach. */
export function at(): string {
  seconds.last += 1000
  return `${new Date(seconds.last).toISOString().slice(0, 19)}Z`
}

/** The time of the last operation. */
export function lastAt(): number {
  return seconds.last
}

export function edits(title: string, count: number): WikiOperation[] {
  const users = ['Jane', '192.0.2.7', 'Ünïcode Ω', '2001:DB8:0:0:0:0:0:1']
  return Array.from({ length: count }, (_, index) => ({
    do: 'edit',
    title,
    text: `Line <${index}> & "${title}"\n\n * ${'日本語 '.repeat(index % 7)}é\u{301}${index}`,
    user: users[index % users.length] ?? '',
    comment: index % 5 === 0 ? '' : `edit ${index} of [[${title}]] <b>'&'</b>`,
    minor: index % 3 === 0,
    at: at(),
  }))
}

export function history(): WikiOperation[] {
  return [
    ...edits('Long', 120),
    ...edits('Straße/日本語 & more', 3),
    ...edits('Talk:Long', 2),
    { do: 'edit', title: 'Slots', text: 'main one', at: at() },
    { do: 'edit', title: 'Slots', text: 'main two', slots: { aside: 'beside' }, at: at() },
    { do: 'edit', title: 'Slots', text: 'main two', slots: { aside: 'changed' }, at: at() },
    { do: 'edit', title: 'Redirect', text: '#REDIRECT [[Long]]', at: at() },
    { do: 'edit', title: 'Empty', text: '', at: at() },
    { do: 'edit', title: 'Decomposed', text: DECOMPOSED, at: at() },
    { do: 'edit', title: 'User:Jane/script.js', text: 'let a = 1 < 2', at: at() },
    ...edits('Moved', 3),
    { do: 'move', title: 'Moved', to: 'Moved away', at: at() },
    { do: 'import', xml: EXPORTED, at: at() },
    ...edits('Early', 2),
    ...edits('Late', 2),
    { do: 'merge', title: 'Early', to: 'Late', at: at() },
    ...edits('Deleted', 2),
    { do: 'delete', title: 'Deleted', at: at() },
    { do: 'hide', title: 'Long', revids: [4], fields: ['text'], at: at() },
    { do: 'hide', title: 'Long', revids: [5], fields: ['user', 'comment'], at: at() },
    { do: 'hide', title: 'Long', revids: [6], fields: ['text', 'user', 'suppress'], at: at() },
  ]
}
