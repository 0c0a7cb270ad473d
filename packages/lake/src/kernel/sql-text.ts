/** Names and texts as SQL writes them. */

export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const sqlTexts = (texts: readonly string[]): string => `[${texts.map(sqlText).join(', ')}]`
