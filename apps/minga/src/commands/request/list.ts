/** A list of addresses as people keep it: one per line. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { NoSuchList } from '../../errors.ts'

export async function readUrls(file: string, option = '--file'): Promise<string[]> {
  return listedUrls(file === '-' ? await text(process.stdin) : await readList(file, option))
}

async function readList(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new NoSuchList(file, option, { cause })
  }
}

export function listedUrls(list: string): string[] {
  return list
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
