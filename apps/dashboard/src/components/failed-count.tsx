import { Link } from '@tanstack/react-router'
import type { Collection } from '../api/api-types.ts'
import { useFormat } from './use-format.ts'

/** Failures are red, and lead to the errors by kind. */
export function FailedCount({ collection }: { collection: Pick<Collection, 'id' | 'failed'> }) {
  const format = useFormat()
  const { id, failed } = collection
  if (failed === 0) return format.count(failed)
  return (
    <Link className="bad" to="/collections/$id" params={{ id: String(id) }} hash="errors">
      {format.count(failed)}
    </Link>
  )
}
