import { MingaError, PermanentError } from '@minga/protocol'
import { formatMicros } from './ledger/format-micros.ts'

export class BadAmount extends PermanentError {
  readonly code = 'MINGA_BAD_AMOUNT'

  static of(what: string, value: number): BadAmount {
    return new BadAmount(
      `${what} is ${value}, but must be a whole number, not negative and at most ${Number.MAX_SAFE_INTEGER}. Nothing was booked.`,
    )
  }

  static balance(account: string): BadAmount {
    return new BadAmount(
      `The balance of ${account} would leave the range of exact numbers. Book a smaller amount.`,
    )
  }
}

export class UnbalancedPosting extends PermanentError {
  readonly code = 'MINGA_UNBALANCED_POSTING'
  constructor(id: string, sumMicros: number) {
    super(
      `The entries of posting ${id} sum to ${formatMicros(sumMicros)} instead of zero, so nothing was booked. Report it: this is a mistake in Minga.`,
    )
  }
}

export class PostingIdTaken extends PermanentError {
  readonly code = 'MINGA_POSTING_ID_TAKEN'
  constructor(id: string, recorded: { kind: string; reference: string }) {
    super(
      `Posting ${id} already exists as ${recorded.kind} for ${recorded.reference}, so nothing was booked. Give the new posting another id.`,
    )
  }
}

export class NoSuchPosting extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_POSTING'
  constructor(id: string, account: string) {
    super(`Account ${account} has no posting ${id}. Start the statement again without it.`)
  }
}

export class NoBudget extends PermanentError {
  readonly code = 'MINGA_NO_BUDGET'
  constructor(args: { neededMicros: number; availableMicros: number }) {
    const { neededMicros, availableMicros } = args
    const missing = formatMicros(neededMicros - availableMicros)
    super(
      `This needs ${formatMicros(neededMicros)} and the account has ${formatMicros(availableMicros)} to spend: top up at least ${missing}, or send fewer requests.`,
    )
  }
}

export class NotEnoughMoney extends PermanentError {
  readonly code = 'MINGA_NOT_ENOUGH_MONEY'
  constructor(account: string, args: { neededMicros: number; balanceMicros: number }) {
    super(
      `Account ${account} holds ${formatMicros(args.balanceMicros)}, so ${formatMicros(args.neededMicros)} cannot be taken from it; nothing was booked. Take no more than the balance.`,
    )
  }
}

export class NotPayable extends PermanentError {
  readonly code = 'MINGA_NOT_PAYABLE'
  constructor(account: string) {
    super(
      `Account ${account} cannot be paid out. Name the account of a client, a volunteer or the platform.`,
    )
  }
}

export class TooManyComplaints extends MingaError {
  readonly code = 'MINGA_TOO_MANY_COMPLAINTS'
  override readonly status = 429
  readonly retry = 'later'
  constructor(most: number) {
    super(
      `You have made ${most} complaints today (UTC), which is the limit. Complain again tomorrow, or ask the operator.`,
    )
  }
}

export class UnknownDevice extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_DEVICE'
  override readonly status = 404
  constructor(device: string) {
    super(`The station does not know the device ${device}. Enrol it with a join token first.`)
  }
}

export class DeviceBlocked extends MingaError {
  readonly code = 'MINGA_DEVICE_BLOCKED'
  readonly retry = 'later'
  constructor(why: string, until: number) {
    super(`This device gets no work until ${new Date(until).toISOString()}. ${why}`)
  }
}

export class DeviceQuarantined extends PermanentError {
  readonly code = 'MINGA_DEVICE_QUARANTINED'
  constructor(why: string) {
    super(
      `This device gets no work and its recent results are not used. ${why} An operator of the station can check and release the device.`,
    )
  }
}

export class DeviceExpelled extends PermanentError {
  readonly code = 'MINGA_DEVICE_EXPELLED'
  constructor(why: string) {
    super(`This device was expelled from the station. ${why} Ask its operator if this is wrong.`)
  }
}
