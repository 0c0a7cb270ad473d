/** A mutex for each owner: work runs one after the other, in the order in which it came, whatever became of the work before it. */
const lastOf = new WeakMap<object, Promise<unknown>>()

export function runExclusive<R>(owner: object, work: () => Promise<R>): Promise<R> {
  const previous = lastOf.get(owner) ?? Promise.resolve()
  const next = previous.then(work, work)
  lastOf.set(
    owner,
    next.catch(() => {}),
  )
  return next
}
