/** A policy by its name, or from a file that exports one by default. */
import { BadPolicyFile, policyIn, policyNamed, type Policy } from '@minga/forecast'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { oraclePolicy } from './oracle.ts'

const FILE = /\.[cm]?[jt]s$/

export async function policyOf(name: string): Promise<Policy> {
  if (name === oraclePolicy.name) return oraclePolicy
  return FILE.test(name) ? loadPolicy(name) : policyNamed(name, ['oracle', './mine.ts'])
}

async function loadPolicy(path: string): Promise<Policy> {
  let loaded: { default?: unknown }
  try {
    loaded = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }
  } catch (cause) {
    throw new BadPolicyFile(path, 'cannot be loaded', { cause })
  }
  return policyIn(path, loaded)
}
