/** Files of the station's own machine that an operator names as inputs. */
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { OutsideInput } from '../lake-errors.ts'

/** Size and time of the last change; a file that is gone has neither. */
export async function changedAtOf(path: string): Promise<{ bytes: number; changedAtMs: number }> {
  const found = await stat(path).catch(() => null)
  return { bytes: found?.size ?? -1, changedAtMs: found?.mtimeMs ?? -1 }
}

/** Where it really is: what a link points to may change while a query runs. */
export async function outsidePath(path: string): Promise<string> {
  if (!isAbsolute(path)) throw OutsideInput.relative(path)
  try {
    return await realpath(path)
  } catch (cause) {
    throw OutsideInput.missing(path, { cause })
  }
}
