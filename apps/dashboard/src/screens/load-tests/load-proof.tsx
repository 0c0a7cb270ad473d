import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { AbortButton } from './abort-button.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import type { LoadTestView } from '../../api/station-api.ts'

type Proof = NonNullable<LoadTestView['proof']>

/** Starting is checking: the proof is looked at in that moment, however well it was proven before. */
export function LoadProof({ test, proof }: { test: LoadTestView; proof: Proof }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  const start = useChange(
    () => station('POST /load-tests/{id}/start', { params: { id: test.id }, body: {} }),
    ['load-test', 'load-tests'],
  )
  return (
    <section className="card">
      <h2>{t('load.proof.title')}</h2>
      {proof.provenAt === null ? (
        <p>{t('load.proof.lead', { host: test.host })}</p>
      ) : (
        <p>{t('load.proof.proven', { time: format.moment(proof.provenAt) })}</p>
      )}
      <Instructions host={test.host} proof={proof} />
      {may('load-tests:write') ? (
        <div className="actions">
          <Button
            className="primary"
            isDisabled={start.isPending}
            onPress={() => start.mutate(undefined)}
          >
            {t('load.proof.start')}
          </Button>
          {/* Looking may take a minute, after which it would begin. */}
          {start.isPending ? <AbortButton id={test.id} /> : null}
          <span role="status" className="quiet">
            {start.isPending ? t('load.proof.looking') : ''}
          </span>
        </div>
      ) : null}
      <Failure error={start.error} />
    </section>
  )
}

function Instructions({ host, proof: { file } }: { host: string; proof: Proof }) {
  const { t } = useTranslation()
  return (
    <>
      <h3>{t('load.proof.file')}</h3>
      <p>
        {t('load.proof.fileText')} <code className="address">{`${host}${file.path}`}</code>
      </p>
      <CopyBox text={file.content} label={t('load.proof.fileLine')} />
    </>
  )
}
