import type { TFunction } from 'i18next'
import type { Area, NavigationTarget } from '../../auth/navigation.ts'

/** `Watches › Groups`; an area of one screen is the screen. */
export function screenName({ name, screens }: Area, to: NavigationTarget, t: TFunction): string {
  const area = t(`nav.${name}`)
  return screens.length === 1 && to !== '/new' ? area : `${area} › ${t(`nav.to.${to.slice(1)}`)}`
}
