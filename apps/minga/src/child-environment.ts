/**
 * What a child process gets of our environment: what programs need to run at all, and what is meant for that child. The
 * agent parses pages of strangers; passwords of mail and database servers are none of its business.
 */
import type { Role } from './processes.ts'

/** Where things are, how people write, and what Node itself reads; the last rows are Windows' and Android's. */
const COMMON = new Set(
  `PATH HOME USER LOGNAME SHELL TERM TZ TMPDIR TMP TEMP LANG LANGUAGE LD_LIBRARY_PATH
   LD_PRELOAD PREFIX SSL_CERT_FILE SSL_CERT_DIR UV_THREADPOOL_SIZE NO_COLOR FORCE_COLOR
   MINGA_FAULTS MINGA_FAULTS_DIR SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE
   APPDATA LOCALAPPDATA PROGRAMDATA
   ANDROID_ROOT ANDROID_DATA ANDROID_TZDATA_ROOT`.split(/\s+/),
)
/** NODE_AUTH_TOKEN is the password of a registry of packages. */
const COMMON_PATTERN = /^(LC_\w+|XDG_\w+|NODE_(?!AUTH_TOKEN$)\w+)$/

const OF_ROLE: Partial<Record<Role, RegExp>> = {
  coordinator: /^(MINGA_SETTING_\w+|CREDENTIALS_DIRECTORY)$/,
}

export function childEnvironment(
  role: Role,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const isFor = (name: string): boolean =>
    COMMON.has(name.toUpperCase()) ||
    COMMON_PATTERN.test(name) ||
    (OF_ROLE[role]?.test(name) ?? false)
  const pairs = Object.entries(environment)
  return Object.fromEntries(
    pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && isFor(pair[0])),
  )
}
