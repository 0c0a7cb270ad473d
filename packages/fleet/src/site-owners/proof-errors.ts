import { MingaError, PermanentError } from '@minga/protocol'

export class NoSuchProof extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_PROOF'
  override readonly status = 404
  constructor() {
    super(
      'There is no proof of control with this id and secret, or it has expired. Open a new one.',
    )
  }
}

export class ProofMissing extends MingaError {
  readonly code = 'MINGA_PROOF_MISSING'
  override readonly status = 403
  readonly retry = 'later'
  constructor(host: string) {
    super(
      `The control of ${host} is not proven yet. Publish the token as a file or in DNS and check again.`,
    )
  }
}

export class ProofTooNarrow extends PermanentError {
  readonly code = 'MINGA_PROOF_TOO_NARROW'
  override readonly status = 403
  constructor(pattern: string, host: string) {
    super(
      `The proof for ${host} does not cover ${pattern}: a file covers its own host, a DNS record its name and everything below it.`,
    )
  }
}
