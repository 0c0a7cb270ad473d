/** Work on files that only one may do at a time in a data folder, whoever asks for it. */
const lastOf = new WeakMap<object, Promise<unknown>>()

export function oneAtATime<R>(owner: object, work: () => Promise<R>): Promise<R> {
  const previous = lastOf.get(owner) ?? Promise.resolve()
  const next = previous.then(work, work)
  lastOf.set(
    owner,
    next.catch(() => {}),
  )
  return next
}
