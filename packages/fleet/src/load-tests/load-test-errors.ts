import { MingaError, PermanentError } from '@minga/protocol'

export class NoSuchLoadTest extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_LOAD_TEST'
  override readonly status = 404
  constructor(id: string) {
    super(`There is no load test ${id} of yours; GET /api/load-tests lists them.`)
  }
}

/** Nothing of a test is done without a proof that was checked just now. */
export class LoadTestUnproven extends MingaError {
  readonly code = 'MINGA_LOAD_TEST_UNPROVEN'
  override readonly status = 403
  readonly retry = 'later'
  constructor(host: string, found: string) {
    super(
      `It is not proven that ${host} is yours, so it is not tested (${found}); publish the file as the test's proof says and start again.`,
    )
  }
}

export class LoadTestBusy extends MingaError {
  readonly code = 'MINGA_LOAD_TEST_BUSY'
  override readonly status = 409
  readonly retry = 'later'

  static host(host: string): LoadTestBusy {
    return new LoadTestBusy(`Another load test of ${host} runs; start this one when it is over.`)
  }

  static station(most: number): LoadTestBusy {
    return new LoadTestBusy(
      `This station runs ${most} load tests already, which is the most; start this one when one is over.`,
    )
  }
}

export class LoadTestShared extends PermanentError {
  readonly code = 'MINGA_LOAD_TEST_SHARED'
  override readonly status = 409
  constructor(host: string, neighbours: readonly string[]) {
    super(
      `${host} shares its address with other sites (${neighbours.join(', ')}), which would bear the test as well; test it where it lives alone.`,
    )
  }
}

export class LoadTestRefused extends PermanentError {
  readonly code = 'MINGA_LOAD_TEST_REFUSED'

  static address(url: string, reason: string): LoadTestRefused {
    return new LoadTestRefused(`${url} cannot be part of a load test: ${reason}.`)
  }

  static manyHosts(hosts: readonly string[]): LoadTestRefused {
    return new LoadTestRefused(
      `The addresses of a load test are all on one host, these are on ${hosts.slice(0, 3).join(', ')}; make one test for each.`,
    )
  }

  static closed(host: string, code: string): LoadTestRefused {
    return new LoadTestRefused(
      `Nothing may be fetched from ${host} (${code}). Open the host first.`,
    )
  }

  static elsewhere(host: string): LoadTestRefused {
    return new LoadTestRefused(
      `${host} belongs to another station of the federation, or to none yet; ask that station.`,
    )
  }

  static unresolved(host: string): LoadTestRefused {
    return new LoadTestRefused(`${host} has no address that may be dialled; check its DNS.`)
  }

  static noMachines(): LoadTestRefused {
    return new LoadTestRefused(
      "No machine of this station is connected that may take part; start one of the station's own agents.",
    )
  }
}

export class LoadTestOver extends PermanentError {
  readonly code = 'MINGA_LOAD_TEST_OVER'
  override readonly status = 409
  constructor(id: string, state: string) {
    super(`Load test ${id} is ${state}: it starts once; make a new one to test again.`)
  }
}
