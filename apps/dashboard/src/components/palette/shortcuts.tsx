import { Button, Dialog, Heading } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { areasFor } from '../../auth/navigation.ts'
import { useMe } from '../../auth/use-me.ts'
import { JUMPS } from './jumps.ts'
import { screenName } from './screen-name.ts'
import { Overlay } from '../overlay.tsx'

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Overlay onClose={onClose}>
      <Dialog>
        <Heading slot="title">{t('palette.shortcuts')}</Heading>
        <dl className="shortcuts">
          <Keys keys={['Ctrl', 'K']} what={t('palette.title')} />
          <Keys keys={['?']} what={t('palette.shortcuts')} />
          <Keys keys={['Esc']} what={t('close')} />
          <Jumps />
        </dl>
        <div className="actions">
          <Button onPress={onClose}>{t('close')}</Button>
        </div>
      </Dialog>
    </Overlay>
  )
}

/** Of the screens that the visitor is shown. */
function Jumps() {
  const { t } = useTranslation()
  const { me } = useMe()
  const areas = areasFor(me?.actions ?? null)
  return Object.entries(JUMPS).map(([letter, to]) => {
    const area = areas.find(({ screens }) => screens.some((screen) => screen.to === to))
    if (to === undefined || area === undefined) return null
    return <Keys key={letter} keys={['g', letter]} what={screenName(area, to, t)} />
  })
}

function Keys({ keys, what }: { keys: readonly string[]; what: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{what}</dd>
    </div>
  )
}
