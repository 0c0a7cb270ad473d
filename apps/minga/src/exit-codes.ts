/** Exit codes are part of the command-line contract; docs/reference/exit-codes.md explains them. */
export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  diskFull: 3,
  config: 4,
  stationUnreachable: 8,
  retryable: 9,
  interrupted: 11,
  forced: 13,
} as const

const BY_CODE: Record<string, number> = {
  MINGA_AGENT_RUNNING: EXIT.config,
  MINGA_BAD_ARCHIVE_TIME: EXIT.usage,
  MINGA_BAD_ARCHIVE_URL: EXIT.usage,
  MINGA_BAD_BRANCH: EXIT.usage,
  MINGA_BAD_DEVICE_FILE: EXIT.config,
  MINGA_BAD_FILTER: EXIT.usage,
  MINGA_BAD_GEOIP: EXIT.config,
  MINGA_BAD_GRAPH_FILE: EXIT.usage,
  MINGA_BAD_LIMITS: EXIT.usage,
  MINGA_BAD_PARTITION_INPUT: EXIT.usage,
  MINGA_BAD_PATTERN: EXIT.usage,
  MINGA_BAD_POLICY: EXIT.usage,
  MINGA_BAD_SCENARIO: EXIT.usage,
  MINGA_BAD_SEED: EXIT.usage,
  MINGA_BAD_MESSAGE: EXIT.usage,
  MINGA_BAD_OPTION: EXIT.usage,
  MINGA_BAD_SELECTOR: EXIT.usage,
  MINGA_BAD_SETTING: EXIT.usage,
  MINGA_BAD_STATION_URL: EXIT.config,
  MINGA_BAD_TRACE: EXIT.usage,
  MINGA_NO_SUCH_LIST: EXIT.usage,
  MINGA_TOKEN_NEEDED: EXIT.usage,
  MINGA_UNKNOWN_POLICY: EXIT.usage,
  MINGA_UNREADABLE_FILE: EXIT.usage,
  MINGA_DISK_FULL: EXIT.diskFull,
  MINGA_FEDERATED_STATION: EXIT.config,
  MINGA_PORT_TAKEN: EXIT.config,
  MINGA_STORE_LOCKED: EXIT.config,
  MINGA_STORE_TOO_NEW: EXIT.config,
  MINGA_STATION_AWAY: EXIT.stationUnreachable,
  MINGA_STATION_NOT_RUNNING: EXIT.config,
  MINGA_STATION_UNREACHABLE: EXIT.stationUnreachable,
}

export function exitCodeOf(error: { code: string; retry?: string }): number {
  return BY_CODE[error.code] ?? (error.retry === 'later' ? EXIT.retryable : EXIT.error)
}
