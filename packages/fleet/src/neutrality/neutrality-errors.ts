import { MingaError } from '@minga/protocol'

export class NoSuchMonitor extends MingaError {
  readonly code = 'MINGA_NO_SUCH_MONITOR'
  override readonly status = 404
  readonly retry = 'never'
  constructor(id: string) {
    super(`You have no monitor ${id}. GET /api/neutrality lists them.`)
  }
}

export class MonitorRefused extends MingaError {
  readonly code = 'MINGA_MONITOR_REFUSED'
  readonly retry = 'never'

  static address(url: string, reason: string): MonitorRefused {
    return new MonitorRefused(`${url} cannot be monitored: ${reason}. Leave it out.`)
  }

  static tooMany(most: number): MonitorRefused {
    return new MonitorRefused(
      `You have ${most} running monitors, which is the limit. Stop one of them first.`,
    )
  }
}
