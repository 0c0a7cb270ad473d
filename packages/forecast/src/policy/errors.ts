import { PermanentError } from '@minga/protocol'

export class UnknownPolicy extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_POLICY'
  constructor(name: string, names: readonly string[]) {
    super(`There is no policy "${name}". Known policies are ${names.join(', ')}.`)
  }
}

export class BadPolicyFile extends PermanentError {
  readonly code = 'MINGA_BAD_POLICY'
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`The policy ${path} ${what}.`, options)
  }
}

/** A plug-in threw, or answered what no policy can answer. */
export class PolicyFailed extends PermanentError {
  readonly code = 'MINGA_POLICY_FAILED'
  constructor(name: string, what: string, options?: ErrorOptions) {
    super(`The policy ${name} ${what}.`, options)
  }
}

/** A watch has a policy that was loaded once and is not now. */
export class PolicyAbsent extends PermanentError {
  readonly code = 'MINGA_POLICY_ABSENT'
  constructor(name: string) {
    super(`The policy ${name} is not loaded.`)
  }
}
