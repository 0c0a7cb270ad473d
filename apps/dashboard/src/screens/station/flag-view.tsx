/** One flag with its evidence, and what is made of it. */
import type { FlagView } from '@minga/protocol'
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { FiguresList } from '../../components/figures-list.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { FlagForm } from './flag-form.tsx'

export function FlagButton({ flag }: { flag: FlagView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { client, kind, note, decidedBy } = flag
  const title = `${t(`abuse.kind.${kind}`)} · ${client}`
  return (
    <DialogTrigger>
      <Button aria-label={t('abuse.lookAt', { flag: title })}>{t('abuse.look')}</Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal wide">
          <Dialog>
            {({ close }) => (
              <>
                <Heading slot="title">{title}</Heading>
                <Evidence flag={flag} />
                {note === null ? null : (
                  <p>
                    “{note}” <span className="quiet">{decidedBy}</span>
                  </p>
                )}
                {may('abuse:write') ? <FlagForm flag={flag} onDecided={close} /> : null}
                <div className="actions">
                  <Button onPress={close}>{t('close')}</Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}

/** Addresses of an attacker are text here, never links. */
function Evidence({ flag: { evidence, samples, effect } }: { flag: FlagView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const figures = Object.entries(evidence).map(([label, value]) => ({
    label,
    value: typeof value === 'number' ? format.count(value) : value,
  }))
  return (
    <>
      <FiguresList
        figures={[
          ...figures,
          { label: t('abuse.effectLabel'), value: t(`abuse.effect.${effect}`) },
        ]}
      />
      {samples.length === 0 ? null : (
        <details open>
          <summary>{t('abuse.samples', { count: samples.length })}</summary>
          <ul className="log">
            {samples.map((sample) => (
              <li key={sample}>
                <code>{sample}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
