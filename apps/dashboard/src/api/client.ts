/** What the page asks about collections and captures. */

/** What a list asks for, as its address says it; several words stand with commas between. */
export type ListWords = Record<string, string | number | null | undefined>

export type Verb = 'pause' | 'resume' | 'stop' | 'cancel' | 'undo' | 'rerun'
