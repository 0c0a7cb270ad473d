/** The passwords that people choose most often, from leaked lists: 49,000 of them, read when the first password is set. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { COMMON_SHORTEST } from '@minga/fleet'
import { z } from 'zod'

const FILE = import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json')
const listField = z.array(z.string())

let reading: Promise<ReadonlySet<string>> | undefined

/** In lower case. Without those that are too short to matter: they are refused for their length. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  return (reading ??= read())
}

async function read(): Promise<ReadonlySet<string>> {
  const list = listField.parse(JSON.parse(await readFile(fileURLToPath(FILE), 'utf8')))
  return new Set(list.filter((password) => password.length >= COMMON_SHORTEST))
}
