/** Leaves a host or a folder out of a running collection, from the row that shows it. */
import { Button } from 'react-aria-components'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'

interface LeaveOutProps {
  id: number
  pattern: string
  /** What it says, and what it leaves out. */
  label: string
  title: string
}

export const TOUCHED = ['live', 'collection', 'collections', 'hosts', 'facets', 'curve', 'trail']

export function LeaveOutButton({ id, pattern, label, title }: LeaveOutProps) {
  const change = useChange(
    () => station('PATCH /collections/{id}', { params: { id }, body: { addExclude: [pattern] } }),
    TOUCHED,
  )
  return (
    <>
      <Button
        className="plain small"
        isDisabled={change.isPending || change.isSuccess}
        aria-label={title}
        onPress={() => change.mutate(undefined)}
      >
        {label}
      </Button>
      <Failure error={change.error} />
    </>
  )
}
