import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'

/** Does not ask for confirmation: the site may be overloaded right now. It may be pressed again. */
export function AbortButton({ id }: { id: string }) {
  const { t } = useTranslation()
  const abort = useChange(
    () => station('POST /load-tests/{id}/abort', { params: { id }, body: {} }),
    ['load-test', 'load-tests'],
  )
  return (
    <>
      <Button className="abort" onPress={() => abort.mutate(undefined)}>
        {t('load.abort')}
      </Button>
      <span role="status" className="quiet">
        {abort.isPending || abort.isSuccess ? t('load.aborting') : ''}
      </span>
      <Failure error={abort.error} />
    </>
  )
}
