import { PermanentError } from '@minga/protocol'

export class NoSuchMonitor extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_MONITOR'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no monitor ${id}. GET /api/neutrality lists them.`)
  }
}

export class MonitorRefused extends PermanentError {
  readonly code = 'MINGA_MONITOR_REFUSED'

  static address(url: string, reason: string): MonitorRefused {
    return new MonitorRefused(`${url} cannot be monitored: ${reason}. Leave it out.`)
  }

  static tooMany(most: number): MonitorRefused {
    return new MonitorRefused(
      `You have ${most} running monitors, which is the limit. Stop one of them first.`,
    )
  }
}
