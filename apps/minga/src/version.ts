/** Which Minga this is. */
import manifest from '../package.json' with { type: 'json' }

interface Build {
  version: string
  /** Null where the sources came without their history. */
  commit: string | null
}

/** Written into the program by `scripts/bundle.ts`; a checkout runs without it. */
declare const MINGA_BUILD: Build | undefined

export function versionLine(): string {
  if (typeof MINGA_BUILD === 'undefined') return `${manifest.version} (source)`
  const { version, commit } = MINGA_BUILD
  return commit === null ? version : `${version} (${commit})`
}
