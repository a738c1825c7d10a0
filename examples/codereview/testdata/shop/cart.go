// Package shop is written to be reviewed: nearly every line of it is a mistake.
package shop

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"example.com/elsewhere/till"
)

type Cart struct {
	items []string
	path  string
}

// Add puts an item into the cart.
func (c *Cart) Add(item string) { c.items = append(c.items, item) }

func (c *Cart) Save() error {
	var b strings.Builder
	for _, item := range c.items {
		b.WriteString(item)
	}
	return os.WriteFile(c.path, []byte(b.String()), 0o600)
}

func (c *Cart) Empty() { c.items = nil; c.Save() }

// Checkout pays for the cart.
func (c *Cart) Checkout() {
	c.Save()
	check(c)
	till.Ring(c.items) // unknown here, so nothing is said about it
	fmt.Println("paid")
	defer c.Save()
	_ = c.Save()
	func() {
		os.Remove(c.path)
	}()
}

// TODO: take coupons
func check(c *Cart) error {
	for _, item := range c.items {
		if item != "" {
			for _, r := range item {
				switch {
				case r == 'x':
					if len(item) > 1 {
						return errors.New("no") // FIXME(ann) say what
					}
				}
			}
		}
	}
	return nil
}
