/** Every token that a page ever had, as columns of numbers: millions of them fit, and a pass over them is quick. */
import type { AuthoredToken, EditorTokens, TextRevision } from './text-history.ts'

const FIRST_SIZE = 1024

export class TokenTable {
  #count = 0
  /** Revision, by its place in the history, in which a token was seen last: seen in the present one means taken. */
  #seenIn = new Int32Array(FIRST_SIZE)
  #word = new Int32Array(FIRST_SIZE)
  #origin = new Int32Array(FIRST_SIZE)
  #author = new Int32Array(FIRST_SIZE)
  #kept = new Int32Array(FIRST_SIZE)
  #keptByOthers = new Int32Array(FIRST_SIZE)
  readonly #revisions: { revId: number; user: string | null; editor: number }[] = []
  /**
   * Hidden editors are unknown, and two of them are not the same person: each is a separate editor.
   */
  readonly #editors = new Map<string, number>()
  #editorCount = 0
  readonly #words = new Map<string, number>()
  readonly #texts: string[] = []

  begin({ revId, user }: TextRevision): void {
    this.#revisions.push({ revId, user, editor: this.#editorOf(user) })
  }

  #editorOf(user: string | null): number {
    const known = user === null ? undefined : this.#editors.get(user)
    if (known !== undefined) return known
    this.#editorCount += 1
    if (user !== null) this.#editors.set(user, this.#editorCount)
    return this.#editorCount
  }

  /** The place of the present revision in the history, from 1. */
  get revision(): number {
    return this.#revisions.length
  }

  /** Equal words have equal numbers. */
  wordsOf(texts: readonly string[]): Int32Array {
    return Int32Array.from(texts, (text) => {
      const known = this.#words.get(text)
      if (known !== undefined) return known
      this.#words.set(text, this.#texts.length)
      return this.#texts.push(text) - 1
    })
  }

  wordOf(token: number): number {
    return this.#word[token]!
  }

  isFree(token: number): boolean {
    return this.#seenIn[token] !== this.revision
  }

  areFree(tokens: Int32Array): boolean {
    const now = this.revision
    const seenIn = this.#seenIn
    for (let i = 0; i < tokens.length; i += 1) if (seenIn[tokens[i]!] === now) return false
    return true
  }

  countTaken(tokens: Int32Array): number {
    let taken = 0
    for (let i = 0; i < tokens.length; i += 1) if (!this.isFree(tokens[i]!)) taken += 1
    return taken
  }

  /** They stand in the present revision, as they did in an earlier one. */
  take(tokens: Int32Array): void {
    const now = this.revision
    const { editor } = this.#revisions[now - 1]!
    for (let i = 0; i < tokens.length; i += 1) {
      const token = tokens[i]!
      this.#seenIn[token] = now
      this.#kept[token]! += 1
      if (this.#author[token] !== editor) this.#keptByOthers[token]! += 1
    }
  }

  create(word: number): number {
    if (this.#count === this.#word.length) this.#grow()
    const token = this.#count
    this.#count += 1
    this.#word[token] = word
    this.#origin[token] = this.revision - 1
    this.#author[token] = this.#revisions[this.revision - 1]!.editor
    this.#seenIn[token] = this.revision
    return token
  }

  #grow(): void {
    const longer = (column: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(column.length * 2)
      copy.set(column)
      return copy
    }
    this.#seenIn = longer(this.#seenIn)
    this.#word = longer(this.#word)
    this.#origin = longer(this.#origin)
    this.#author = longer(this.#author)
    this.#kept = longer(this.#kept)
    this.#keptByOthers = longer(this.#keptByOthers)
  }

  read(token: number): AuthoredToken {
    const { revId, user } = this.#revisions[this.#origin[token]!]!
    return {
      text: this.#texts[this.#word[token]!]!,
      revId,
      user,
      revisionsKept: this.#kept[token]!,
      keptByOthers: this.#keptByOthers[token]!,
    }
  }

  byEditor(present: Int32Array): EditorTokens[] {
    const totals = new Map<string | null, EditorTokens>()
    const totalOf = (token: number): EditorTokens => {
      const { user } = this.#revisions[this.#origin[token]!]!
      const known = totals.get(user)
      if (known !== undefined) return known
      const fresh = { user, added: 0, present: 0, share: 0, keptByOthers: 0, rejected: 0 }
      totals.set(user, fresh)
      return fresh
    }
    for (let token = 0; token < this.#count; token += 1) {
      const total = totalOf(token)
      total.added += 1
      total.keptByOthers += this.#keptByOthers[token]!
      if (this.#keptByOthers[token] === 0) total.rejected += 1
    }
    for (const token of present) totalOf(token).present += 1
    for (const total of totals.values())
      total.share = present.length === 0 ? 0 : total.present / present.length
    return [...totals.values()].toSorted((a, b) => b.present - a.present || b.added - a.added)
  }
}
