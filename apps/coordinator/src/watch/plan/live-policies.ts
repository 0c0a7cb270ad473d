/**
 * Policies by name while a station runs: Minga's own, and those that the operator gave it as files
 * (`minga up --policy ./mine.ts`). Plans are made in the store's thread and names judged outside of it, so
 * both load the files.
 */
import {
  BadPolicyFile,
  guardedPolicy,
  isPolicyName,
  policyIn,
  policyNamed,
  type Policy,
} from '@minga/forecast'
import type { Sql } from '@minga/store'
import { pathToFileURL } from 'node:url'

const plugIns = new Map<string, Policy>()

/** Files by their absolute paths; answers the policies' names. Twice the same file is once. */
export async function loadPolicies(files: readonly string[]): Promise<string[]> {
  const loaded = new Map<string, Policy>()
  for (const file of files) {
    const policy = guardedPolicy(file, policyIn(file, await exportsOf(file)))
    if (loaded.has(policy.name)) {
      throw new BadPolicyFile(file, `cannot be called ${policy.name}: another file is`)
    }
    loaded.set(policy.name, policy)
  }
  for (const [name, policy] of loaded) plugIns.set(name, policy)
  return [...loaded.keys()]
}

async function exportsOf(file: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown }
  } catch (cause) {
    throw new BadPolicyFile(file, 'cannot be loaded', { cause })
  }
}

/** The same inside the store's thread. */
export async function loadPoliciesInStore(_sql: Sql, args: { files: string[] }): Promise<void> {
  await loadPolicies(args.files)
}

/** Null: it was a plug-in, and is not loaded now. */
export function livePolicy(name: string): Policy | null {
  return plugIns.get(name) ?? (isPolicyName(name) ? policyNamed(name) : null)
}

/** Rejects unknown policies, and lists the known ones. */
export function requirePolicyName(name: string): void {
  if (!plugIns.has(name)) policyNamed(name, [...plugIns.keys()])
}
